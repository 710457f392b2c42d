using Loxo.Docs.Tests;
using Loxo.Migration;

namespace Loxo.MigrationTests;

/// <summary>The programs in samples/migration: written for Npgsql, and what the code fix makes of them.</summary>
public sealed class SampleTests
{
    private const string Folder = "samples/migration";

    // What Dapper has to be told is the only code that a migration adds.
    private const string Added = "LoxoSetup.cs";

    private static readonly string[] _samples =
        [.. Directory.EnumerateDirectories(Repository.PathOf(Folder)).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];

    [TestCaseSource(nameof(_samples))]
    public async Task The_code_fix_makes_the_one_of_the_other(string sample)
    {
        var project = Migration.Project(Migration.BothDrivers, [.. Sources(sample, "before")]);
        Assert.That((await Migration.Diagnose(project)).Where(one => one.Id == MigrationAnalyzer.MissingId), Is.Empty);

        var after = await Migration.FixAll(project);

        if (Environment.GetEnvironmentVariable("LOXO_WRITE_SAMPLES") == "1")
        {
            foreach (var (name, text) in after)
                await File.WriteAllTextAsync(Repository.PathOf($"{Folder}/{sample}/after/{name}"), text);
        }
        Assert.That(after, Is.EqualTo(Sources(sample, "after").Where(file => file.Name != Added)),
            "After a change of 'before', LOXO_WRITE_SAMPLES=1 writes 'after' anew.");
    }

    [TestCaseSource(nameof(_samples))]
    public async Task Both_programs_print_the_same(string sample)
    {
        var before = await Run(sample, "before");
        var after = await Run(sample, "after");

        Assert.That(before.Error + after.Error, Is.Empty);
        Assert.That((before.ExitCode, after.ExitCode), Is.EqualTo((0, 0)));
        Assert.That(before.Output.Split('\n'), Has.Length.GreaterThan(6));
        Assert.That(after.Output, Is.EqualTo(before.Output));
    }

    private static Task<(int ExitCode, string Output, string Error)> Run(string sample, string side)
    {
        var program = $"{Folder}/{sample}/{side}/bin/{Repository.Configuration}/net10.0/{sample}.{(side == "before" ? "Before" : "After")}.dll";
        return Terminal.Run("dotnet", Repository.PathOf(program), TestServer.Default.ConnectionString);
    }

    private static IEnumerable<(string Name, string Text)> Sources(string sample, string side) =>
        Directory.EnumerateFiles(Repository.PathOf($"{Folder}/{sample}/{side}"), "*.cs").Order(StringComparer.Ordinal)
            .Select(path => (Path.GetFileName(path), File.ReadAllText(path)));
}
