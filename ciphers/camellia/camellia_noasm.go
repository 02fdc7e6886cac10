//go:build purego || !amd64

package camellia

import "blkcrypt/internal/bulk"

var tiers = []*bulk.Kernels{generic}
