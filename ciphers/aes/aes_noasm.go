//go:build purego || !amd64

package aes

import "blkcrypt/internal/bulk"

var tiers = []*bulk.Kernels{generic}
