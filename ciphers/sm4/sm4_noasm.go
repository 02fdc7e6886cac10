//go:build purego || !amd64

package sm4

import "blkcrypt/internal/bulk"

var tiers = []*bulk.Kernels{generic}
