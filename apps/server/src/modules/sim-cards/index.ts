export { simCardsModule } from './sim-cards.module.ts'
