// All gates that read the programs through the native compiler, over one reading of them; tells what they found as JSON.
import { attributeTexts } from './attribute-texts.mjs'
import { exhaustiveSwitches } from './exhaustive-switches.mjs'
import { floatingPromises } from './floating-promises.mjs'
import { lookThrough } from './typed-files.mjs'

process.stdout.write(JSON.stringify(lookThrough([floatingPromises(), exhaustiveSwitches(), attributeTexts()])))
