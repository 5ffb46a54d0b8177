package volume

import (
	"fmt"
	"math/big"
	"strings"
)

// suffixes of Kubernetes quantities, in bytes.
var suffixes = map[string]*big.Rat{
	"": big.NewRat(1, 1), "m": big.NewRat(1, 1000),
	"k": power(10, 3), "M": power(10, 6), "G": power(10, 9), "T": power(10, 12), "P": power(10, 15), "E": power(10, 18),
	"Ki": power(2, 10), "Mi": power(2, 20), "Gi": power(2, 30), "Ti": power(2, 40), "Pi": power(2, 50), "Ei": power(2, 60),
}

// Bytes reads a Kubernetes quantity, such as 1Gi, 500M or 1e9, rounded up to
// whole bytes.
func Bytes(quantity string) (int64, error) {
	end := strings.LastIndexAny(quantity, "0123456789.") + 1
	number, suffix := quantity[:end], quantity[end:]
	unit, known := suffixes[suffix]
	// big.Rat would also read fractions and other bases.
	if !known || number == "" || len(number) > 40 || strings.Trim(number, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%q is no quantity", quantity)
	}
	if _, exponent, found := strings.Cut(strings.ToLower(number), "e"); found && len(exponent) > 3 {
		return 0, fmt.Errorf("%q is out of range", quantity)
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok || value.Sign() < 0 {
		return 0, fmt.Errorf("%q is no quantity", quantity)
	}
	value.Mul(value, unit)
	whole, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() {
		return 0, fmt.Errorf("%q is out of range", quantity)
	}
	return whole.Int64(), nil
}

func power(base, exponent int64) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil))
}
