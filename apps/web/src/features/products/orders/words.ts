export { CHECKSUMS, CONDITION_OPERATORS, DANGER_LEVELS } from '@thingwright/contracts/commands.words'
