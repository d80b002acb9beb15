import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('en', 2, 2)
