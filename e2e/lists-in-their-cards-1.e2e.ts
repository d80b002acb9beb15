import { listsInTheirCards } from './suites/lists-in-their-cards.suite.ts'

listsInTheirCards(1, 2)
