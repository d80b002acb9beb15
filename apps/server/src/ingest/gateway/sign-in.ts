import type { Clock } from '../../lib/clock.ts'
import { certifiedName, checkChain, issuerHash, readClientCertificate } from '../../lib/crypto/client-certificate.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { signatureMatches } from '../../lib/crypto/device-credentials.ts'
import { openDeviceSecret, secretHash, secretMatches } from '../../lib/crypto/secrets.ts'
import type { Logger } from '../../lib/log.ts'
import type { Directory, DirectoryEntry } from '../directory/directory.ts'
import type { DeviceName, IdentityQueries, SecretRow } from '../identity/identity.repo.ts'
import type { RegistrationDesk } from '../identity/registration-desk.ts'
import { ReplayGuard } from '../identity/replay-guard.ts'
import { BatchLoader } from '../memory/batch-loader.ts'
import { Lru } from '../memory/lru.ts'
import {
  type CertificateSignIn,
  isName,
  type NumberSignIn,
  type RegistrationSignIn,
  type SecretSignIn,
  type SignedSignIn,
  type SignInRequest,
  type SignInResult,
  type TokenSignIn,
} from '../sign-in-request.ts'

export interface SignInOptions {
  directory: Directory
  queries: IdentityQueries
  /** Opens device secrets, and nothing else of the installation; null: no HMAC sign-in. */
  secrets: CryptoBox | null
  desk: RegistrationDesk
  clock: Clock
  logger: Logger
}

const WINDOW = { windowMs: 5, maxKeys: 500, maxParallel: 2 }
/** Tokens whose owner is remembered. */
const TOKENS = 200_000
/** A token that nobody has is not looked up again for this long. */
const UNKNOWN_MS = 2_000

/**
 * Checks who a device says it is. Every way in ends with the same two questions: is the device enabled, is its product
 * published. They are answered to who proved to be the device, and to nobody else.
 */
export class SignIn {
  private readonly replays: ReplayGuard
  private readonly secrets: BatchLoader<number, SecretRow>
  private readonly tokens: BatchLoader<string, DeviceName>
  /** Hints only: what they point to is held against the directory's entry. */
  private readonly tokenNames = new Lru<string, DeviceName>(TOKENS)
  private readonly unknownTokens = new Lru<string, number>(10_000)

  constructor(private readonly options: SignInOptions) {
    const { queries } = options
    this.replays = new ReplayGuard(options.clock)
    this.secrets = new BatchLoader({ ...WINDOW, load: nums => queries.secrets(nums) })
    this.tokens = new BatchLoader({ ...WINDOW, load: hashes => queries.tokenOwners(hashes) })
  }

  async check(request: SignInRequest): Promise<SignInResult> {
    try {
      switch (request.kind) {
        case undefined:
        case 'secret':
          return await this.bySecret(request)
        case 'number':
          return await this.byNumber(request)
        case 'token':
          return await this.byToken(request)
        case 'signed':
          return await this.bySignature(request)
        case 'certificate':
          return await this.byCertificate(request)
        case 'registration':
          return await this.byProductSecret(request)
      }
    } catch (error) {
      this.options.logger.warn({ err: error }, 'sign-in of a device could not be checked')
      return { ok: false, reason: 'unavailable' }
    }
  }

  /**
   * A secret is 32 random bytes, so one SHA-256 is enough and 5,000 reconnects cost milliseconds; the previous secret
   * is good for its time after a rotation.
   */
  private async bySecret({ productKey, deviceNo, secret }: SecretSignIn): Promise<SignInResult> {
    const entry = await this.options.directory.find(productKey, deviceNo)
    if (!entry) return { ok: false, reason: 'unknown_device' }
    const current = secretMatches(secret, entry.secretHash)
    const previous = secretMatches(secret, entry.previousSecretHash)
    if (!current && !(previous && this.options.clock.now() < entry.previousSecretUntil)) {
      return { ok: false, reason: 'wrong_secret' }
    }
    return admit(entry)
  }

  private async byNumber({ productKey, deviceNo }: NumberSignIn): Promise<SignInResult> {
    const { directory, queries } = this.options
    const entry = await this.find(productKey, deviceNo, () => queries.bareNumber(deviceNo))
    if (!entry) return { ok: false, reason: 'unknown_device' }
    if (!takesBareNumber(directory.product(entry.record.productNum).settings?.link)) {
      return { ok: false, reason: 'not_allowed' }
    }
    return admit(entry)
  }

  private async byToken({ token }: TokenSignIn): Promise<SignInResult> {
    const { clock } = this.options
    const refused: SignInResult = { ok: false, reason: 'wrong_token' }
    if (token.length < 8 || token.length > 128) return refused
    const hash = secretHash(token)
    const key = hash.toString('hex')
    const hint = this.tokenNames.get(key)
    if (hint) {
      const entry = await this.options.directory.find(hint.productKey, hint.deviceNo)
      if (entry && holdsToken(entry, hash, clock.now())) return admit(entry)
      this.tokenNames.delete(key)
    }
    if ((this.unknownTokens.peek(key) ?? 0) > clock.now()) return refused
    const name = await this.tokens.get(key)
    const entry = name ? await this.options.directory.find(name.productKey, name.deviceNo) : null
    if (!name || !entry || !holdsToken(entry, hash, clock.now())) {
      this.unknownTokens.set(key, clock.now() + UNKNOWN_MS)
      return refused
    }
    this.tokenNames.set(key, name)
    return admit(entry)
  }

  private async bySignature(request: SignedSignIn): Promise<SignInResult> {
    const { directory, clock, secrets } = this.options
    if (!secrets) return { ok: false, reason: 'not_allowed' }
    const entry = await directory.find(request.productKey, request.deviceNo)
    if (!entry) return { ok: false, reason: 'unknown_device' }
    const row = await this.secrets.get(entry.record.num)
    if (!row) return { ok: false, reason: 'unknown_device' }
    const { method, content, signature, timestamp } = request
    const signedWith = (cipher: Buffer) =>
      signatureMatches(method, openDeviceSecret(secrets, row.id, cipher), content, signature)
    const previous =
      row.previous_secret_cipher !== null && (row.previous_secret_until?.getTime() ?? 0) > clock.now()
        ? row.previous_secret_cipher
        : null
    if (!signedWith(row.secret_cipher) && !(previous && signedWith(previous))) {
      return { ok: false, reason: 'wrong_signature' }
    }
    if (timestamp !== undefined && timestamp !== null) {
      if (!this.replays.isFresh(timestamp)) return { ok: false, reason: 'signature_expired' }
      if (!this.replays.take(entry.record.num, timestamp)) return { ok: false, reason: 'signature_replayed' }
    }
    return admit(entry)
  }

  private async byCertificate(request: CertificateSignIn): Promise<SignInResult> {
    const { clock, queries } = this.options
    const certificate = readClientCertificate(request.certificate)
    const named = certificate && certifiedName(certificate)
    if (!named) return { ok: false, reason: 'certificate_invalid' }
    const chain = checkChain(
      certificate,
      await queries.authorities(issuerHash(certificate), certificate.serialNumber),
      clock.now(),
    )
    const productKey = request.productKey ?? named.productKey
    const find = (tenantId: string) =>
      this.find(productKey, named.deviceNo, () => queries.inCompany(tenantId, named.deviceNo))
    if (!chain.ok) {
      const { reason, tenantId } = chain
      const whose = tenantId === null ? null : await find(tenantId)
      // The authority of one company says nothing of the devices of another.
      if (!whose || whose.record.tenantId !== tenantId) return { ok: false, reason }
      return { ok: false, reason, about: { productKey: whose.record.productKey, deviceNo: whose.record.deviceNo } }
    }
    const saidOtherwise =
      (request.deviceNo !== null && request.deviceNo !== named.deviceNo) ||
      (named.productKey !== null && productKey !== named.productKey)
    if (saidOtherwise) return { ok: false, reason: 'certificate_mismatch' }
    const entry = await find(chain.tenantId)
    if (!entry) return { ok: false, reason: 'unknown_device' }
    // The authority of one company says nothing about the devices of another.
    if (entry.record.tenantId !== chain.tenantId) return { ok: false, reason: 'certificate_mismatch' }
    return admit(entry)
  }

  private async byProductSecret(request: RegistrationSignIn): Promise<SignInResult> {
    const { desk, directory } = this.options
    const { productKey, deviceNo } = request
    if (!isName(productKey) || !isName(deviceNo)) return { ok: false, reason: 'unknown_device' }
    const answer = await desk.register(request)
    if (!answer.ok) return answer
    const entry = await directory.find(productKey, deviceNo)
    if (!entry) return { ok: false, reason: 'unavailable' }
    const admitted = admit(entry)
    const { deviceSecret, accessToken } = answer
    return admitted.ok ? { ...admitted, issued: { deviceSecret, ...(accessToken ? { accessToken } : {}) } } : admitted
  }

  /** By product and number; without a product by what the query finds, when that is one device. */
  private async find(
    productKey: string | null,
    deviceNo: string,
    search: () => Promise<DeviceName[]>,
  ): Promise<DirectoryEntry | null> {
    if (!isName(deviceNo)) return null
    if (productKey !== null) return this.options.directory.find(productKey, deviceNo)
    const [first, second] = await search()
    return first && !second ? this.options.directory.find(first.productKey, first.deviceNo) : null
  }
}

/** A device that proved who it is comes in when it is enabled and its product published. */
function admit(entry: DirectoryEntry): SignInResult {
  if (!entry.companyOpen) return { ok: false, reason: 'company_closed' }
  if (!entry.record.enabled) return { ok: false, reason: 'disabled' }
  if (!entry.published) return { ok: false, reason: 'not_published' }
  return { ok: true, device: entry.record }
}

function holdsToken(entry: DirectoryEntry, hash: Buffer, now: number): boolean {
  return (
    entry.tokenHash?.equals(hash) === true ||
    (entry.previousTokenHash?.equals(hash) === true && now < entry.previousTokenUntil)
  )
}

/** The product's register packet carries the number alone (packages/contracts/src/links.contract.ts). */
function takesBareNumber(link: Readonly<Record<string, unknown>> | undefined): boolean {
  const kind = (link?.register as { kind?: unknown } | undefined)?.kind
  return kind === 'text' || kind === 'hex' || kind === 'regex' || kind === 'json'
}
