# To use it, in $PROFILE:  tug completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'tug', 'tug.cmd', 'tug.exe', 'tug.ps1' -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @(foreach ($element in $ast.CommandElements) {
    $extent = $element.Extent
    if ($extent.StartOffset -ge $cursor) { break }
    if ($extent.EndOffset -ge $cursor) { $last = $extent.Text.Substring(0, $cursor - $extent.StartOffset); break }
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value } else { $extent.Text }
  })
  $typed = ($words + [string]$last) -join [char]0
  $encoded = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($typed))
  $answer = & $words[0] __complete powershell $encoded 2>$null | Out-String | ConvertFrom-Json
  if ($answer.kind -eq 'files') { return }
  if ($answer.kind -eq 'directories') {
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($word) | Where-Object ResultType -eq 'ProviderContainer'
    return
  }
  if ($answer.values.Count -eq 0) { return '' }
  foreach ($value in $answer.values) {
    [System.Management.Automation.CompletionResult]::new($value.text, $value.shown, 'ParameterValue', $value.summary)
  }
}
