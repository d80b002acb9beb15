export { DEFAULT_URLS } from './accounts.service.ts'
export type { CarrierKind } from './carrier.port.ts'
export {
  type CardSource,
  cardsAnywhere,
  changePlatformAccounts,
  givePlatformCards,
  renewPlatformCards,
} from './platform-cards.repo.ts'
export { ACCOUNT_SEAL, simCardsModule } from './sim-cards.module.ts'
