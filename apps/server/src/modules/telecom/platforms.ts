import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { KeyRow } from './keys.repo.ts'
import type { PlatformFactory, TelecomPlatform } from './platform.port.ts'

export interface KeySecrets {
  /** appSecret of CTWing, access key of OneNET. */
  appSecret: string
  /** Of OneNET's push; empty: none. */
  token: string
  /** Of OneNET's safe mode; empty: none. */
  aesKey: string
}

/** Clients of keys, and what is sealed of them. */
export interface Platforms {
  of(key: KeyRow, secrets?: KeySecrets): TelecomPlatform
  seal(id: string, secrets: KeySecrets): Buffer
  secretsOf(key: Pick<KeyRow, 'id' | 'cipher'>): KeySecrets
  /** A secret of something else: the Master-APIkey of a product, the PSK of a device. */
  sealText(about: string, text: string): Buffer
  openText(about: string, cipher: Buffer): string
}

export function createPlatforms(factory: PlatformFactory, box: CryptoBox): Platforms {
  const secretsOf: Platforms['secretsOf'] = ({ id, cipher }) =>
    JSON.parse(box.open(cipher, context(id)).toString('utf8')) as KeySecrets
  return {
    secretsOf,
    seal: (id, secrets) => box.seal(JSON.stringify(secrets), context(id)),
    sealText: (about, text) => box.seal(text, about),
    openText: (about, cipher) => box.open(cipher, about).toString('utf8'),
    of: (key, secrets = secretsOf(key)) =>
      factory(
        key.platform,
        { baseUrl: key.baseUrl, account: key.account, auth: key.auth, appSecret: secrets.appSecret },
        key.simulated,
      ),
  }
}

const context = (id: string) => `telecom-key:${id}`
export const masterContext = (productId: string) => `telecom-product:${productId}`
export const pskContext = (deviceId: string) => `telecom-device:${deviceId}`

/** What is shown of a secret: enough to tell one from another. */
export function hintOf(secret: string): string {
  return secret.length >= 12 ? `${secret.slice(0, 3)}****${secret.slice(-3)}` : '****'
}
