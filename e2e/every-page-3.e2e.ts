import { everyPage } from './suites/every-page.suite.ts'

everyPage(3, 3)
