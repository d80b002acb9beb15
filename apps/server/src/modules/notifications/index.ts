export type { SmsMessage, SmsPort } from './sms.port.ts'
