package apiserver

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

func TestServer(t *testing.T) {
	s := Start(t)
	for _, name := range []string{"failing", "status", "update"} {
		text, err := os.ReadFile("../../testdata/cluster/" + name + ".yaml")
		require.NoError(t, err)
		s.Apply(t, string(text))
	}
	s.Apply(t, `{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": "harbor", "name": "crew"}}`)
	account := s.ServiceAccount(t, "harbor", "crew")
	s.Kill()
	s.Restart(t)

	subscriptions := schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}
	admin, err := clientcmd.BuildConfigFromFlags("", Kubeconfig(t, s.Config()))
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(admin)
	require.NoError(t, err)
	list, err := client.Resource(subscriptions).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, list.Items, "what was there before the server was killed")

	client, err = dynamic.NewForConfig(account)
	require.NoError(t, err)
	_, err = client.Resource(subscriptions).List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsForbidden(err), "the account's token is valid, and permits nothing: %v", err)
}
