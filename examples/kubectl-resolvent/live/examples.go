package live

// Examples are those of the help of each command, by its name, and of the program without
// one: the running cluster stands for manifests and catalogs.
var Examples = map[string]string{
	"": `  kubectl resolvent status -A
  kubectl resolvent resolve -n operators --package etcd
  kubectl resolvent list --provides Kafka
  kubectl resolvent save > cluster.yaml`,
	"resolve": `  kubectl resolvent resolve -A
  kubectl resolvent resolve -n operators --why
  kubectl resolvent resolve -n operators --package etcd@alpha
  kubectl resolvent resolve -f repository`,
	"status": `  kubectl resolvent status -A
  kubectl resolvent status -A -o html > status.html
  kubectl resolvent status -A --target-openshift 4.20
  kubectl resolvent status -n operators --without etcd`,
	"list": `  kubectl resolvent list
  kubectl resolvent list etcd
  kubectl resolvent list --provides Kafka.v1beta2
  kubectl resolvent list --search backup --catalog olm/next=docker://IMAGE`,
	"show": `  kubectl resolvent show etcd
  kubectl resolvent show etcd@0.9.4 -o json`,
	"why": `  kubectl resolvent why etcd@0.9.4 -n operators`,
	"why-not": `  kubectl resolvent why-not etcd -n operators
  kubectl resolvent why-not etcd@0.9.4 -n operators`,
	"path": `  kubectl resolvent path etcd -n operators
  kubectl resolvent path etcd@0.9.4 -n operators`,
	"check": `  kubectl resolvent check
  kubectl resolvent check cluster:olm/community --show note
  kubectl resolvent check bundle/ --catalog olm/community=cluster:olm/community
  kubectl resolvent check docker://IMAGE -o html > report.html`,
	"graph": `  kubectl resolvent graph etcd
  kubectl resolvent graph cluster:olm/community --package etcd --channel alpha -o svg > etcd.svg`,
	"diff": `  kubectl resolvent diff cluster:olm/community docker://IMAGE
  kubectl resolvent diff cluster:olm/community docker://IMAGE -f cluster: --as olm/community`,
	"mirror": `  kubectl resolvent mirror -A
  kubectl resolvent mirror -n operators --package etcd -o images
  kubectl resolvent mirror -A -o imageset --catalog olm/community=cluster:olm/community,image=quay.io/org/catalog:latest`,
	"lock": `  kubectl resolvent lock -A
  kubectl resolvent lock -A --check
  kubectl resolvent lock -A --update etcd -o diff`,
	"migrate": `  kubectl resolvent migrate -A
  kubectl resolvent migrate -A --acknowledge C1 -o yaml
  kubectl resolvent migrate --survey`,
	"approve": `  kubectl resolvent approve -A --policy policy.yaml
  kubectl resolvent approve -n operators --policy policy.yaml --yes
  kubectl resolvent approve -n operators --policy policy.yaml -o kubectl`,
	"policy": `  kubectl resolvent policy test policy.yaml
  kubectl resolvent policy explain policy.yaml -n prod`,
	"save": `  kubectl resolvent save > cluster.yaml
  kubectl resolvent save -n operators > operators.yaml`,
}
