export {
  CHECKSUMS,
  CONDITION_OPERATORS,
  DANGER_LEVELS,
  LONGEST_TIMEOUT_MS,
} from '@thingwright/contracts/commands.words'
