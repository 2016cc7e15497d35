import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';

// The validator imports its schema without saying that it is JSON, which only bundlers allow.
registerHooks({
  load: (url, context, nextLoad) =>
    nextLoad(
      url,
      url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context,
    ),
});
const { validate } = await import('@actions/languageservice/validate');

/**
 * What GitHub's own language service finds wrong with a workflow, as `line: message`: its schema,
 * jobs and outputs that are not there, and expressions. It looks at nothing outside the text.
 */
export async function validateWorkflow(path: string, text: string): Promise<string[]> {
  const document = TextDocument.create(pathToFileURL(path).href, 'yaml', 1, text);
  const diagnostics = await validate(document);
  return diagnostics.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}
