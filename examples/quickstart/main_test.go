package main

import (
	"context"
	"fmt"
)

func Example() {
	if err := quickstart(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// install ferry.v1.0.0 from olm/coast, channel stable
	// install lighthouse.v1.2.0 from olm/coast, channel stable
	// install compass.v1.1.0 from olm/island, channel north
	// install pier.v2.0.0 from olm/coast, channel stone
	// install lantern.v1.1.1 from olm/coast, channel stable
	// install foghorn.v2.1.0 from olm/coast, channel stable
	// install kerosene.v1.4.0 from olm/coast, channel barrel
}
