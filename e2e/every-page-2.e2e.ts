import { everyPage } from './suites/every-page.suite.ts'

everyPage(2, 3)
