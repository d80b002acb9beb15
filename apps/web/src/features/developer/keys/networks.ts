/**
 * Whether a text is an address or network the way the server takes it: IPv4 or IPv6, with or without a prefix length.
 * Only a first look for the person who types; the server decides.
 */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  if (rest.length > 0) return false
  const v6 = address.includes(':')
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > (v6 ? 128 : 32))) return false
  return v6 ? isIPv6(address) : isIPv4(address)
}

function isIPv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIPv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':')))
  if (!groups.every(group => /^[0-9a-f]{1,4}$/i.test(group))) return false
  return halves.length === 2 ? groups.length < 8 : groups.length === 8
}
