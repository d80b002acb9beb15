export {
  type ConsumptionRow,
  chargedBetween,
  companyOf,
  insertConsumption,
  type NewConsumption,
} from './consumption.repo.ts'
export { ENTRIES } from './entries.repo.ts'
export {
  chargedByKey,
  findEndUserWallet,
  findWallet,
  holdWallet,
  lowEndUsers,
  NO_WALLET,
  setCredit,
  type WalletRow,
} from './ledger.repo.ts'
export { type Moved, type Movement, move, yuan } from './ledger.ts'
export { insertBatch, takeBackBatches } from './units.repo.ts'
export { type AskForUnits, releaseUnits, reserveUnits, settleUnits, unitsOf } from './units.ts'
export { walletsModule } from './wallets.module.ts'
export { createWalletsService, walletView } from './wallets.service.ts'
