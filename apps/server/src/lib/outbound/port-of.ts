/**
 * The port of an address: the one written in it, 0 too (which no connection can have, so it is refused where it is
 * checked), or the usual one of its protocol.
 */
export function portOf(url: Pick<URL, 'port'>, usual: number): number {
  return url.port === '' ? usual : Number(url.port)
}
