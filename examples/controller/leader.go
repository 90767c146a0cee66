package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leaseName is the name of the lease for which replicas compete.
const leaseName = "resolvent-controller"

// errReplaced ends a process that does not lead any more. What it was about to write
// may be out of date; started again, it waits for its turn.
var errReplaced = errors.New("this replica is no longer the leader; restart it")

// lead runs work until ctx ends: at once without a namespace, otherwise as soon as, and
// as long as, this replica holds the lease in it.
func lead(ctx context.Context, kube kubernetes.Interface, namespace string, work func(context.Context) error) error {
	if namespace == "" {
		return work(ctx)
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	elected := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: leaseName},
			Client:     kube.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: host + "-" + string(uuid.NewUUID())},
		},
		// A leader that cannot renew stops working before another may begin.
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { elected <- ctx },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	var electing sync.WaitGroup
	defer electing.Wait()
	campaign, stop := context.WithCancel(ctx)
	defer stop()
	electing.Go(func() { elector.Run(campaign) })
	select {
	case <-ctx.Done():
		return nil
	case leading := <-elected:
		if err := work(leading); err != nil || ctx.Err() != nil {
			return err
		}
		return errReplaced
	}
}
