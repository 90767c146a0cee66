package request

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSlip(t *testing.T) {
	for _, pair := range [][2]string{{"etcd", "etcdx"}, {"etdc", "etcd"}, {"kafka", "kafak"}, {"kafka", "kafkaab"}, {"prometeus", "prometheus"}} {
		assert.True(t, Slip(pair[0], pair[1]), pair)
	}
	for _, pair := range [][2]string{{"etcd", "etcdab"}, {"a", "bc"}, {"keda", "kega2"}, {"kafka", "kafkaabc"}, {"", "ab"}} {
		assert.False(t, Slip(pair[0], pair[1]), pair)
	}
}
