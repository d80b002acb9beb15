import { readAlibabaSignIn } from '../../dialects/alibaba/sign.ts'
import { ACCESS_TOKEN_PREFIX, isName, type SignInRequest } from '../../sign-in-request.ts'
import type { ConnectPacket } from './decoder.ts'
import type { Peer } from './host.ts'

/**
 * Reads a CONNECT of other platforms' clients: an access token as user name (ThingsBoard), or `{deviceNo}&{productKey}`
 * with an Alibaba signature. Null: not one of these.
 */
export function foreignSignIn(
  { username, password, clientId }: Pick<ConnectPacket, 'username' | 'password' | 'clientId'>,
  { address, transport }: Pick<Peer, 'address' | 'transport'>,
): SignInRequest | null {
  if (username === null) return null
  if (username.startsWith(ACCESS_TOKEN_PREFIX)) return { kind: 'token', token: username, address, transport }
  if (password === null) return null
  const signed = readAlibabaSignIn(clientId, username, password)
  if (!signed || !isName(signed.productKey) || !isName(signed.deviceNo)) return null
  return { kind: 'signed', ...signed, address, transport }
}
