using System.Diagnostics;

namespace Loxo.Docs.Tests;

/// <summary>Runs a program as a person at a terminal would.</summary>
internal static class Terminal
{
    public static async Task<(int ExitCode, string Output, string Error)> Run(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        // The tests run under MSBuild's own variables, which would lead another MSBuild astray.
        foreach (var name in start.Environment.Keys.Where(name => name.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase)).ToArray())
            start.Environment.Remove(name);
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        return (process.ExitCode, await output, await error);
    }
}
