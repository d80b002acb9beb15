import { listsInTheirCards } from './suites/lists-in-their-cards.suite.ts'

listsInTheirCards(2, 2)
