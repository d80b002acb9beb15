import { everyPage } from './suites/every-page.suite.ts'

everyPage(1, 3)
