import { accessibleOverlays } from './suites/accessibility.suite.ts'

accessibleOverlays()
