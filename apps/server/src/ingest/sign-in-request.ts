import { PRODUCT_SECRET_PREFIX, type SignatureMethod } from '../lib/crypto/device-credentials.ts'
import type { SessionInfo, TransportName } from '../modules/devices/gateway.port.ts'
import type { DeviceRecord } from './uplink.ts'

export { ACCESS_TOKEN_PREFIX } from '../lib/crypto/device-credentials.ts'
export type { SessionInfo, SignatureMethod, TransportName }

/** Where a device that wants to come in stands. */
interface Peer {
  /** Peer address "ip:port", for logs. */
  address: string
  transport: TransportName
}

interface Named {
  productKey: string
  deviceNo: string
}

/** By the device's own secret. */
export interface SecretSignIn extends Peer, Named {
  kind?: 'secret'
  secret: Buffer
}

/** By its number alone (register packet, phone number of a meter): only where the product's link settings say so. */
export interface NumberSignIn extends Peer {
  kind: 'number'
  /** Null on a shared port: the number must then be unique among such products of the installation. */
  productKey: string | null
  deviceNo: string
}

/** By its access token alone. */
export interface TokenSignIn extends Peer {
  kind: 'token'
  token: Buffer | string
}

/** By an HMAC of `content` whose key is the device's secret. */
export interface SignedSignIn extends Peer, Named {
  kind: 'signed'
  method: SignatureMethod
  content: string
  /** Hex, in either case. */
  signature: string
  /**
   * Epoch ms that `content` carries, where the dialect says that it is a time: it must be near ours and is taken once.
   * Absent: not looked at (Alibaba's clients may send a constant).
   */
  timestamp?: number | null
}

/** By an X.509 certificate that the TLS handshake proved to be the client's. */
export interface CertificateSignIn extends Peer {
  kind: 'certificate'
  /** DER of the client's certificate. */
  certificate: Buffer
  /** What the client says besides (the MQTT user name); null: the certificate alone names the device. */
  productKey: string | null
  deviceNo: string | null
}

/** By the product's secret: the device asks for a secret of its own. */
export interface RegistrationSignIn extends Peer, Named {
  kind: 'registration'
  productSecret: Buffer | string
}

/** How a device says who it is. */
export type SignInRequest =
  | SecretSignIn
  | NumberSignIn
  | TokenSignIn
  | SignedSignIn
  | CertificateSignIn
  | RegistrationSignIn

/** Why a device may not come in; stable words, shown in its log. */
export type SignInRefusal =
  | 'unknown_device'
  | 'wrong_secret'
  | 'disabled'
  /** Its company's account is not activated, frozen, or has ended. */
  | 'company_closed'
  | 'not_published'
  /** The database cannot be asked; the device should come again. */
  | 'unavailable'
  /** The product does not let its devices in this way. */
  | 'not_allowed'
  | 'wrong_token'
  | 'wrong_signature'
  /** The signed time is more than 15 minutes from ours. */
  | 'signature_expired'
  /** The very same signed time was used before. */
  | 'signature_replayed'
  | 'certificate_invalid'
  | 'certificate_expired'
  | 'certificate_unknown_ca'
  | 'certificate_ca_disabled'
  | 'certificate_revoked'
  /** It names another device, or one of another company. */
  | 'certificate_mismatch'
  | 'wrong_product_secret'
  | 'registration_off'
  /** Only numbers that stand in the product's list may register, and this one does not. */
  | 'registration_unlisted'
  /** Somebody has to approve it; the device asks again later. */
  | 'registration_waiting'
  | 'registration_rejected'
  /** The device has a secret and has used it. */
  | 'registration_done'
  | 'quota_full'
  | 'rate_limited'

export type SignInResult =
  | {
      ok: true
      device: DeviceRecord
      /** Only of a registration: the secret the device signs in with from now on. It opens no session. */
      issued?: { deviceSecret: string; accessToken?: string }
    }
  | {
      ok: false
      reason: SignInRefusal
      /** Whose certificate it was, proven by its authority; of other ways in the request says it. */
      about?: Named
    }

const NAME = /^[A-Za-z0-9_.:-]{1,64}$/
const SIGNATURE = /^(hmacmd5|hmacsha1|hmacsha256):(\d{12,14}):([0-9a-fA-F]{32,64})$/
/** Whether the text may be the key of a product or the number of a device. */
export const isName = (text: string): boolean => NAME.test(text)

/**
 * Reads what a device gave as its password (MQTT) or bearer (HTTP) by its shape: a product's secret asks for a
 * registration, `{method}:{epoch ms}:{hex}` is the HMAC of `{productKey}/{deviceNo}/{epoch ms}`, everything else is a
 * device secret.
 */
export function credentialOf(name: Named, password: Buffer, peer: Peer): SignInRequest {
  const { productKey, deviceNo } = name
  const { address, transport } = peer
  if (password.length < 128 && password.length > 16) {
    const text = password.toString('latin1')
    if (text.startsWith(PRODUCT_SECRET_PREFIX)) {
      return { kind: 'registration', productKey, deviceNo, productSecret: password, address, transport }
    }
    const signed = SIGNATURE.exec(text)
    if (signed) {
      return {
        kind: 'signed',
        productKey,
        deviceNo,
        method: signed[1] as SignatureMethod,
        content: `${productKey}/${deviceNo}/${signed[2]}`,
        signature: signed[3] as string,
        timestamp: Number(signed[2]),
        address,
        transport,
      }
    }
  }
  return { kind: 'secret', productKey, deviceNo, secret: password, address, transport }
}
