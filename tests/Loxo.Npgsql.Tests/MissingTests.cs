using Loxo.Migration;
using Microsoft.CodeAnalysis;

namespace Loxo.MigrationTests;

/// <summary>What Loxo does not have is reported where it is used, with the reason of docs/npgsql-differences.md.</summary>
public sealed class MissingTests
{
    [TestCase("object M(NpgsqlConnection c) => c.TypeMapper;", "TypeMapper", "NpgsqlConnection.TypeMapper", "Throws in Npgsql, too")]
    [TestCase("object F = new NpgsqlPath(5);", "NpgsqlPath", "NpgsqlPath.NpgsqlPath", "A path cannot be changed")]
    [TestCase("NpgsqlPath F = new(5);", "new", "NpgsqlPath.NpgsqlPath", "A path cannot be changed")]
    [TestCase("void M(NpgsqlPath p) => p.Add(default);", "Add", "NpgsqlPath.Add", "A path cannot be changed")]
    [TestCase("void M(NpgsqlPath p) => p[0] = default;", "[0]", "NpgsqlPath.this[Int32]", "A path cannot be changed")]
    [TestCase("void M(NpgsqlBox b) => b.UpperRight = default;", "UpperRight", "NpgsqlBox.UpperRight", "A box cannot be changed")]
    [TestCase("object F = new NpgsqlBox { UpperRight = default };", "UpperRight", "NpgsqlBox.UpperRight", "A box cannot be changed")]
    [TestCase("object M(NpgsqlLogSequenceNumber a, NpgsqlLogSequenceNumber b) => a - b;", "-", "NpgsqlLogSequenceNumber.op_Subtraction", "a long")]
    [TestCase("object F = new NpgsqlTsQueryEmpty();", "NpgsqlTsQueryEmpty", "NpgsqlTsQueryEmpty.NpgsqlTsQueryEmpty", "Use `PgTsQuery.Empty`")]
    [TestCase("NpgsqlTsVector.Lexeme.Weight F;", "Lexeme", "Lexeme", "Use `PgTsVectorLexeme`")]
    [TestCase("UserTypeMapping? F;", "UserTypeMapping", "UserTypeMapping", "a `Codec` knows its type")]
    [TestCase("string F = nameof(NpgsqlConnection.TypeMapper);", "TypeMapper", "NpgsqlConnection.TypeMapper", "Throws in Npgsql, too")]
    public async Task A_use_is_reported_with_the_reason(string member, string marked, string name, string reason)
    {
        var missing = await Missing($"using Npgsql;\nusing Npgsql.TypeMapping;\nusing NpgsqlTypes;\nclass C {{ {member} }}");

        Assert.That(missing, Is.Not.Empty);
        Assert.That(missing[0].Location.SourceTree!.ToString().Substring(missing[0].Location.SourceSpan.Start, missing[0].Location.SourceSpan.Length), Is.EqualTo(marked));
        Assert.That(missing[0].GetMessage(), Does.StartWith($"'{name}' has no counterpart in Loxo: ").And.Contains(reason));
    }

    [TestCase("object M(NpgsqlBox b) => b.UpperRight;")]
    [TestCase("object M(NpgsqlPath p) => p[0];")]
    [TestCase("object F = NpgsqlRange<int>.Empty;")]
    [TestCase("void M(NpgsqlConnection c) { c.BeginTransaction(); }")]
    [TestCase("object M(NpgsqlConnection c) => new NpgsqlOperationInProgressException(new NpgsqlCommand(\"\", c));")]
    public async Task What_compiles_unchanged_is_not_reported(string member) =>
        Assert.That(await Missing($"using Npgsql;\nusing NpgsqlTypes;\nclass C {{ {member} }}"), Is.Empty);

    [Test]
    public async Task A_namespace_without_counterpart_is_reported_and_stays()
    {
        const string Source = "using Npgsql.Internal;\n\nclass C { PgConverter? F; }\n";

        Assert.That((await Missing(Source)).Select(one => one.GetMessage()), Is.EqualTo(new[]
        {
            "'Npgsql.Internal' has no counterpart in Loxo: Experimental in Npgsql: write a `Codec`.",
            "'PgConverter' has no counterpart in Loxo: Experimental in Npgsql: write a `Codec`.",
        }));
        Assert.That(await Migration.Fix(Source), Is.EqualTo(Source));
    }

    [Test]
    public async Task A_project_without_Npgsql_has_no_diagnostics() => Assert.That(
        await Migration.Diagnose(Migration.Project([.. References.Platform, .. References.Loxo],
            ("C.cs", "class NpgsqlConnection { string F = \"Host=h;Keepalive=5\"; }"))), Is.Empty);

    [Test]
    public async Task Packages_beside_Npgsql_are_renamed_or_reported()
    {
        string[] packages = ["Npgsql", "Npgsql.DependencyInjection", "Npgsql.Json.NET", "Npgsql.NetTopologySuite", "Npgsql.NodaTime"];
        var project = Migration.Project(
        [
            .. References.Platform, References.Of(typeof(Microsoft.Extensions.DependencyInjection.IServiceCollection)),
            .. packages.Select(package => References.OfPackage(package, "10.0.3")),
        ], ("C.cs", """
            using Microsoft.Extensions.DependencyInjection;
            using Npgsql;

            class C
            {
                void M(IServiceCollection services)
                {
                    var builder = new NpgsqlDataSourceBuilder("Host=h");
                    builder.UseNodaTime();
                    builder.UseJsonNet(null, [typeof(C)], []);
                    services.AddNpgsqlDataSource("Host=h");
                    services.AddMultiHostNpgsqlDataSource("Host=a,b");
                }
            }

            """));

        var missing = (await Migration.Diagnose(project)).Where(one => one.Id == MigrationAnalyzer.MissingId).Select(one => one.GetMessage());
        Assert.That(missing, Has.Exactly(1).Items);
        Assert.That(missing, Has.Some.StartsWith("'NpgsqlJsonNetExtensions.UseJsonNet' has no counterpart in Loxo: JSON is read and written with System.Text.Json"));
        Assert.That((await Migration.FixAll(project))[0].Text, Does.StartWith("using Microsoft.Extensions.DependencyInjection;\nusing Loxo;\n\nclass")
            .And.Contain("new PgDataSourceBuilder(")
            .And.Contain("services.AddPgDataSource(").And.Contain("services.AddMultiHostPgDataSource("));
    }

    private static async Task<Diagnostic[]> Missing(string source)
    {
        var project = Migration.Project(Migration.BothDrivers, ("Source.cs", source));
        Assert.That(await Migration.Errors(project), Is.Empty);
        return [.. (await Migration.Diagnose(project)).Where(one => one.Id == MigrationAnalyzer.MissingId)];
    }
}
