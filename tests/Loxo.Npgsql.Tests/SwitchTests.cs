using Loxo.Migration;

namespace Loxo.MigrationTests;

/// <summary>Switches of the process that change what Npgsql does.</summary>
public sealed class SwitchTests
{
    [TestCase("EnableLegacyTimestampBehavior")]
    [TestCase("DisableDateTimeInfinityConversions")]
    [TestCase("EnableStoredProcedureCompatMode")]
    public async Task A_switch_that_Loxo_has_is_renamed(string name)
    {
        var source = $"class C {{ void M() => System.AppContext.SetSwitch(\"Npgsql.{name}\", true); }}";

        Assert.That(await Migration.Fix(source), Is.EqualTo(source.Replace("Npgsql.", "Loxo.", StringComparison.Ordinal)));
    }

    [TestCase("EnableSqlRewriting")]
    [TestCase("EnableLegacyCaseInsensitiveDbParameters")]
    public async Task A_switch_that_Loxo_does_not_have_is_reported(string name)
    {
        var source = $"class C {{ void M() => System.AppContext.SetSwitch(\"Npgsql.{name}\", true); }}";

        var diagnostic = (await Migration.Diagnose(Migration.Project(Migration.BothDrivers, ("C.cs", source)))).Single();

        Assert.That(diagnostic.Id, Is.EqualTo(MigrationAnalyzer.MissingId));
        Assert.That(diagnostic.GetMessage(), Does.StartWith($"'Npgsql.{name}' has no counterpart in Loxo: "));
    }

    [TestCase("Npgsql")]
    [TestCase("Npgsql.EnableLegacyTimestampBehaviors")]
    [TestCase("About Npgsql.EnableSqlRewriting")]
    public async Task Another_string_stays(string value)
    {
        var project = Migration.Project(Migration.BothDrivers, ("C.cs", $"class C {{ string F = \"{value}\"; }}"));

        Assert.That(await Migration.Diagnose(project), Is.Empty);
    }
}
