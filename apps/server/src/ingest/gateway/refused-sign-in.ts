import { secretMatches } from '../../lib/crypto/secrets.ts'
import type { Directory } from '../directory/directory.ts'
import type { SignInRequest, SignInResult } from '../transport.port.ts'
import type { Refusals } from './refusals.ts'

/** Keeps a refused sign-in where people find it, also when no device has the number. */
export function noteRefusal(
  { refusals, directory }: { refusals: Pick<Refusals, 'add'>; directory: Pick<Directory, 'known'> },
  request: SignInRequest,
  { reason, about }: Extract<SignInResult, { ok: false }>,
): void {
  const productKey = about?.productKey ?? ('productKey' in request ? request.productKey : null) ?? ''
  const deviceNo = about?.deviceNo ?? ('deviceNo' in request ? request.deviceNo : null) ?? ''
  refusals.add({
    productKey,
    deviceNo,
    reason,
    transport: request.transport,
    address: request.address,
    previousSecret: reason === 'wrong_secret' && isPrevious(directory, request, productKey, deviceNo),
  })
}

/** The secret was right until it was rotated: the device was forgotten when the new one was handed out. */
function isPrevious(
  directory: Pick<Directory, 'known'>,
  request: SignInRequest,
  productKey: string,
  deviceNo: string,
): boolean {
  if (!('secret' in request)) return false
  const entry = directory.known(productKey, deviceNo)
  return entry?.previousSecretHash ? secretMatches(request.secret, entry.previousSecretHash) : false
}
