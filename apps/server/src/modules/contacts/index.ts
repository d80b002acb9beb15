export { contactsModule } from './contacts.module.ts'
