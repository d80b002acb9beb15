export { type AppletPermissions, createAppletPermissions } from './applet-permissions.service.ts'
export {
  type AppletMessages,
  type ChannelAdapters,
  ChannelError,
  NO_SIMULATORS,
  type SimulatedAccount,
  type Simulators,
  type UnitsPort,
  type WebPush,
} from './channel.port.ts'
export type { ChannelsService } from './channels.service.ts'
export { type CompanyMail, createCompanyMail } from './company-mail.ts'
export { contactsModule, createChannels, noteReceiptOf } from './contacts.module.ts'
export { type ContactsService, createContactsService } from './contacts.service.ts'
