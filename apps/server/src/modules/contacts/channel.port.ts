import type { ChannelKind, ChannelProvider } from '@thingwright/contracts/contacts.words'
import type { MailAttachment } from '../notifications/mail.port.ts'

/** An account as an adapter needs it. */
export interface ChannelAccount {
  kind: ChannelKind
  provider: ChannelProvider
  config: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
  /** Where the provider's simulator listens, `http://127.0.0.1:port` or `smtp://127.0.0.1:port`; null: the real one. */
  simulator: string | null
}

/** One message to one receiver. */
export interface ChannelMessage {
  /** Of the record: the same at every try. */
  id: string
  /** A mail address, a phone with its country, an openid; empty for robots and webhooks. */
  to: string
  subject: string
  text: string
  /** Acknowledges the alarm; null: there is nothing to acknowledge. */
  link: string | null
  /** What the carrier calls the template, and its variables in their order. */
  code: string
  params: readonly { name: string; value: string }[]
  /** What a program receives. */
  data: Readonly<Record<string, unknown>>
  /** Of a mail. */
  attachments?: readonly MailAttachment[]
}

export interface ChannelSent {
  /** What the provider calls the message; receipts name it. */
  ref: string | null
  /** Units: parts of a text, calls. */
  cost: number
  /** Absent: as the account is. */
  simulated?: boolean
}

/** Hands messages over to a provider. An answer that is no clear yes is a failure, whatever its HTTP status. */
export interface ChannelAdapter {
  /** @throws ChannelError */
  send(account: ChannelAccount, message: ChannelMessage): Promise<ChannelSent>
}

/** By kind and provider, such as `sms.aliyun`. */
export type ChannelAdapters = Readonly<Record<string, ChannelAdapter>>

/** A message that was not taken. */
export class ChannelError extends Error {
  override name = 'ChannelError'
  constructor(
    /** `again`: later perhaps. `never`: this message not. `account`: nothing of this account until somebody changes it. */
    readonly kind: 'again' | 'never' | 'account',
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
  }
}

/** What a channel needs that sends to a simulator. */
export interface SimulatedAccount {
  /** `http://127.0.0.1:port`, of a mail server `smtp://127.0.0.1:port`. */
  address: string
  /** What it counts as typed in where nothing was. */
  config: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** The simulators that this server starts. */
export interface Simulators {
  /** They may be used here (DEMO). */
  readonly available: boolean
  /**
   * An account at a simulated provider. Starts the simulators when they do not run yet.
   * @param provider such as `sms.aliyun`
   * @param channelId each has an account of its own
   * @param receipts where the provider reports; null: it reports nothing
   */
  account(provider: string, channelId: string, receipts: string | null): Promise<SimulatedAccount>
}

/** An installation without simulators: an account that asks for one fails. */
export const NO_SIMULATORS: Simulators = {
  available: false,
  account: async provider => {
    throw new Error(`there is no simulator of ${provider}`)
  },
}

/** What a browser handed over when it subscribed (Push API): the address of its push service, and keys in base64url. */
export interface PushReceiver {
  endpoint: string
  /** 65 bytes. */
  p256dh: string
  /** 16 bytes. */
  auth: string
}

export interface PushMessage {
  title: string
  text: string
  /** Path that a click opens. */
  link: string
  /** A later message of the same tag takes its place. */
  tag: string
  isUrgent: boolean
}

/** Pushes messages to browsers. */
export interface WebPush {
  /** By which push services know this installation: P-256, uncompressed, base64url. */
  readonly publicKey: string
  /** @throws ChannelError `account`: the browser is subscribed no longer */
  send(receiver: PushReceiver, message: PushMessage): Promise<void>
}

/** A subscribe message of a company's mini-program, for which the person gave a permission. */
export interface AppletMessage {
  appId: string
  openid: string
  templateId: string
  /** Fields of the template, as it calls them. */
  fields: Readonly<Record<string, string>>
  locale: 'zh' | 'en'
}

/** Mini-programs of companies at WeChat. */
export interface AppletMessages {
  /**
   * @returns whether WeChat is simulated
   * @throws ChannelError `no_account`: the mini-program is not authorised; `refused_by_person`: no permission is left at WeChat
   */
  send(tenantId: string, message: AppletMessage): Promise<{ simulated: boolean }>
}

/** Units of the operator's account. */
export interface UnitsPort {
  /**
   * Takes units aside before a message leaves.
   * @param isUrgent of an alarm of the gravest level: may be paid from the balance when no units are left
   * @returns false: the company has none left
   */
  reserve(tenantId: string, kind: 'sms' | 'voice', count: number, ref: string, isUrgent: boolean): Promise<boolean>
  /** What was used in the end; what is left of the reserved ones is free again. */
  settle(tenantId: string, kind: 'sms' | 'voice', ref: string, used: number): Promise<void>
  /** Nothing was sent. */
  release(tenantId: string, ref: string): Promise<void>
}

/** Characters of one text message, and of each part of a longer one, with the signature and its brackets. */
const ONE_PART = 70
const LONG_PART = 67

/**
 * Parts into which carriers cut a text: up to 70 characters with `【signature】` one, else one for every 67
 * (help.aliyun.com/document_detail/44335).
 */
export function smsParts(signature: string, text: string): number {
  const length = (signature === '' ? 0 : [...signature].length + 2) + [...text].length
  return length <= ONE_PART ? 1 : Math.ceil(length / LONG_PART)
}
