import { BlockList, isIP } from 'node:net'

/** An address or network as it is kept; null: it is neither. */
export function sourceOf(text: string): { address: string; family: 'ipv4' | 'ipv6'; prefix: number } | null {
  const [address = '', length, ...rest] = text.trim().split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return null
  const most = version === 4 ? 32 : 128
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null
  const prefix = length === undefined ? most : Number(length)
  return prefix > most ? null : { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix }
}

/** Whether callbacks may come from this address; an empty list lets all of them in. */
export function isAllowed(allow: readonly string[], source: string): boolean {
  if (allow.length === 0) return true
  const plain = source.replace(/^::ffff:(?=\d+\.)/i, '')
  const version = isIP(plain)
  if (version === 0) return false
  const list = new BlockList()
  for (const text of allow) {
    const known = sourceOf(text)
    if (known) list.addSubnet(known.address, known.prefix, known.family)
  }
  return list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
}
