import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('zh', 4, 4)
