package sm4

import (
	"testing"

	"blkcrypt/internal/cryptotest"
)

func TestTiers(t *testing.T) { cryptotest.BlockSuite(t, Cipher) }
