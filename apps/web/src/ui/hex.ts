/** Bytes in rows of 16: offset, hex, printable characters. */
export function hexDump(hex: string): string {
  const rows: string[] = []
  for (let at = 0; at < hex.length; at += 32) {
    const row = hex.slice(at, at + 32).match(/../g) ?? []
    const left = row.slice(0, 8).join(' ')
    const right = row.slice(8).join(' ')
    const plain = row.map(byte => {
      const code = Number.parseInt(byte, 16)
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.'
    })
    rows.push(`${(at / 2).toString(16).padStart(4, '0')}  ${left.padEnd(23)}  ${right.padEnd(23)}  ${plain.join('')}`)
  }
  return rows.join('\n')
}
