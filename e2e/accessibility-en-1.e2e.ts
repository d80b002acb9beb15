import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('en', 1, 2)
