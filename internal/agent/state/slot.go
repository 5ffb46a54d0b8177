package state

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A slot is
//
//	magic, 8 bytes │ sequence, 8 │ length, 4 │ checksum, 4 │ State as JSON
//
// in big-endian order; what follows is of no account. The checksum is CRC-32C
// of everything else.
const header = 8 + 8 + 4 + 4

// magic ends in the version of the format.
var magic = []byte("dbstate1")

var (
	// errEmpty: nothing was ever written to this slot.
	errEmpty = errors.New("slot is empty")
	// errTorn: what is there is not what was written.
	errTorn = errors.New("slot is damaged")
	// errNewer: a newer agent has written it.
	errNewer = errors.New("slot was written by a newer agent")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode is the slot of one state.
func encode(sequence uint64, s State) ([]byte, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	slot := bytes.Clone(magic)
	slot = binary.BigEndian.AppendUint64(slot, sequence)
	slot = binary.BigEndian.AppendUint32(slot, uint32(len(payload)))
	slot = binary.BigEndian.AppendUint32(slot, checksum(slot, payload))
	return append(slot, payload...), nil
}

func checksum(head, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, payload)
}

// decode reads what encode has made. The errors are errEmpty, errTorn and
// errNewer.
func decode(slot []byte) (sequence uint64, s State, err error) {
	if len(bytes.Trim(slot, "\x00")) == 0 {
		return 0, State{}, errEmpty
	}
	if len(slot) < header || !bytes.Equal(slot[:7], magic[:7]) {
		return 0, State{}, errTorn
	}
	if slot[7] > magic[7] && slot[7] <= '9' {
		return 0, State{}, errNewer
	}
	if slot[7] != magic[7] {
		return 0, State{}, errTorn
	}
	sequence = binary.BigEndian.Uint64(slot[8:])
	length := uint64(binary.BigEndian.Uint32(slot[16:]))
	sum := binary.BigEndian.Uint32(slot[20:])
	if length > uint64(len(slot)-header) {
		return 0, State{}, errTorn
	}
	payload := slot[header : header+length]
	if checksum(slot[:20], payload) != sum {
		return 0, State{}, errTorn
	}
	if err := json.Unmarshal(payload, &s); err != nil {
		return 0, State{}, fmt.Errorf("%w: %w", errTorn, err)
	}
	return sequence, s, nil
}
