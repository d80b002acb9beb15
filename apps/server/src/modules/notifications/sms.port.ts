/** A text for one phone. The words are ours; a carrier's template id is the adapter's business. */
export interface SmsMessage {
  phone: string
  kind: 'sign_in_code'
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
