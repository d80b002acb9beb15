import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('zh', 1, 4)
