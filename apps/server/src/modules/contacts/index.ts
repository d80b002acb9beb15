export { type ChannelAdapters, NO_SIMULATORS, type Simulators } from './channel.port.ts'
export { contactsModule } from './contacts.module.ts'
