import { BaseSequencer } from 'vitest/node'

/** Test files, the longest first. */
export default class LongestFirst extends BaseSequencer {}
