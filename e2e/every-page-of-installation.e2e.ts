import { everyPageOfInstallation } from './suites/every-page.suite.ts'

everyPageOfInstallation()
