/** What a text says. The words are ours; a carrier's template id is the adapter's business. */
export type SmsKind =
  | 'sign_in_code'
  | 'register_code'
  | 'reset_code'
  | 'bind_code'
  | 'phone_has_login'
  | 'invitation'
  | 'password_link'
  | 'security_code'
  | 'address_changed'
  /** Words that were made already, such as those of an alarm. */
  | 'alarm'

/** A text for one phone. */
export interface SmsMessage {
  phone: string
  kind: SmsKind
  params: Record<string, string>
  locale: 'zh' | 'en'
}

/** The carrier of text messages. */
export interface SmsPort {
  /** Hands the message to the carrier. @throws when the carrier did not take it */
  send(message: SmsMessage): Promise<void>
  /** What a simulated carrier “sent”, newest first; null when the carrier is a real one. */
  outbox(): { phone: string; text: string; at: string }[] | null
}
