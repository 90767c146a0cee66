module github.com/resolvent/resolvent/examples/peers

go 1.26.0

replace github.com/resolvent/resolvent => ../..

require (
	github.com/operator-framework/deppy v0.3.0
	github.com/resolvent/resolvent v0.0.0-00010101000000-000000000000
)

require github.com/go-air/gini v1.0.4 // indirect
