import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('zh', 3, 4)
