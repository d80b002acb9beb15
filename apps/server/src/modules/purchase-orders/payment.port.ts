import type { OnlineProvider, PayForm } from '@thingwright/contracts/money.words'

/** What an operator entered for a provider of payments. What a provider does not need is empty. */
export interface ProviderAccess {
  baseUrl: string
  appId: string
  /** WeChat Pay: number of the merchant. */
  merchantId: string
  /** WeChat Pay: serial number of the merchant's certificate. */
  serial: string
  /** WeChat Pay: ID of the public key with which answers are signed. */
  platformKeyId: string
  /** PEM, PKCS8. */
  privateKey: string
  /** The provider's own public key, PEM. */
  platformKey: string
  /** WeChat Pay: the APIv3 key, with which notices are encrypted. */
  apiKey: string
}

/** How a payment stands at the provider. unknown: it has not heard of it, because nobody began to pay, say. */
export type Trade =
  | { state: 'paid'; amountFen: number; providerNo: string }
  | { state: 'open' }
  | { state: 'closed' }
  | { state: 'unknown' }

/** How a refund stands at the provider. */
export interface RefundTrade {
  state: 'done' | 'processing' | 'failed' | 'unknown'
  amountFen: number | null
  providerNo: string | null
  /** In the provider's words, where it did not do it. */
  said: string
}

/** What a provider tells on its own. A refund is asked about before it counts. */
export type PaymentNotice = { about: 'payment'; no: string; trade: Trade } | { about: 'refund'; no: string }

export interface OpenPayment {
  no: string
  amountFen: number
  subject: string
  form: PayForm
  expiresAt: Date
  notifyUrl: string
  returnUrl: string
}

/** A request as it came: headers in lower case, the body unread or as a form. */
export interface RawNotice {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string | Record<string, string>
}

/** One provider of payments with the operator's keys. */
export interface PaymentClient {
  /** @throws PaymentError */
  open(payment: OpenPayment): Promise<{ codeUrl: string | null; pageUrl: string | null }>
  /** @throws PaymentError */
  query(no: string): Promise<Trade>
  /** Closes a trade, so that it cannot be paid any more. @throws PaymentError also when it was paid meanwhile */
  close(no: string): Promise<void>
  /** The same number asks for the same refund. @throws PaymentError */
  refund(refund: {
    paymentNo: string
    refundNo: string
    amountFen: number
    totalFen: number
    reason: string
    notifyUrl: string
  }): Promise<RefundTrade>
  /** @throws PaymentError */
  queryRefund(refund: { paymentNo: string; refundNo: string }): Promise<RefundTrade>
  /** @returns null: it is about something else. @throws NoticeError it is not the provider's, or not for us */
  read(notice: RawNotice): Promise<PaymentNotice | null>
  /** Whether both sides know each other's keys. @throws PaymentError */
  test(): Promise<void>
}

export type PaymentClientFactory = (kind: OnlineProvider, access: ProviderAccess) => PaymentClient

/** A provider did not do what it was asked. */
export class PaymentError extends Error {
  override name = 'PaymentError'
  constructor(
    /** The provider's word for it; unreachable, signature: ours. */
    readonly code: string,
    said: string,
    /** It may do it later, the same request again. */
    readonly again: boolean,
  ) {
    super(said === '' ? code : `${code} ${said}`)
  }
}

/** A notice that does not count. */
export class NoticeError extends Error {
  override name = 'NoticeError'
}
