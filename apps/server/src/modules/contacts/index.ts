export { type ChannelAdapters, NO_SIMULATORS, type Simulators, type UnitsPort } from './channel.port.ts'
export { contactsModule } from './contacts.module.ts'
