export type { Inbox, InboxService, Notice } from './inbox.service.ts'
export { MailError, type MailMessage, type MailPort } from './mail.port.ts'
export { createNotificationsModule, type NotificationsModule } from './notifications.module.ts'
export type { SmsMessage, SmsPort } from './sms.port.ts'
