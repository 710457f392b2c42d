using Microsoft.CodeAnalysis.CodeFixes;

namespace Loxo.MigrationTests;

/// <summary>Each file that used Npgsql's namespaces imports Loxo's once.</summary>
public sealed class UsingTests
{
    private const string Body = "\nclass C { NpgsqlConnection? F; }\n";

    [TestCase("using Npgsql;\n", "using Loxo;\n")]
    [TestCase("using Npgsql;\nusing NpgsqlTypes;\n", "using Loxo;\n")]
    [TestCase("using NpgsqlTypes;\nusing System.Data;\nusing Npgsql;\n", "using Loxo;\nusing System.Data;\n")]
    [TestCase("using Loxo;\nusing Npgsql;\n", "using Loxo;\n")]
    [TestCase("using Npgsql;\nusing Loxo;\n", "using Loxo;\n")]
    [TestCase("using Npgsql; // the driver\nusing NpgsqlTypes; // its types\n", "using Loxo; // the driver\n // its types\n")]
    [TestCase("// header\r\nusing Npgsql;\r\nusing NpgsqlTypes;\r\n", "// header\r\nusing Loxo;\r\n")]
    [TestCase("#if true\nusing NpgsqlTypes;\n#endif\nusing Npgsql;\n", "#if true\nusing Loxo;\n#endif\n")]
    [TestCase("using global::Npgsql;\n", "using global::Loxo;\n")]
    [TestCase("using System.Data;\nusing Npgsql;\nusing Npgsql.NameTranslation;\nusing Npgsql.PostgresTypes;\nusing Npgsql.Schema;\n", "using System.Data;\nusing Loxo;\n")]
    public async Task Directives_become_one(string before, string after) =>
        Assert.That(await Migration.Fix(before + Body), Is.EqualTo(after + Body.Replace("NpgsqlC", "PgC", StringComparison.Ordinal)));

    [Test]
    public async Task A_directive_in_a_namespace_is_changed_there() => Assert.That(
        await Migration.Fix("namespace Shop\n{\n    using Npgsql;\n    using NpgsqlTypes;\n\n    class C { NpgsqlConnection? F; }\n}\n"),
        Is.EqualTo("namespace Shop\n{\n    using Loxo;\n\n    class C { PgConnection? F; }\n}\n"));

    [Test]
    public async Task A_global_directive_serves_all_files()
    {
        var files = await Migration.FixAll(Migration.Project(
            Migration.BothDrivers, ("Usings.cs", "global using Npgsql;\nglobal using NpgsqlTypes;\n"), ("C.cs", "class C { NpgsqlConnection? F; }\n")));

        Assert.That(files, Is.EqualTo(new[] { ("Usings.cs", "global using Loxo;\n"), ("C.cs", "class C { PgConnection? F; }\n") }));
    }

    [TestCase("class C { NpgsqlConnection? F; }\n", "using Loxo;\n\nclass C { PgConnection? F; }\n")]
    [TestCase("// header\n\n/// <summary>C</summary>\nclass C { SslMode F; }\n", "// header\n\nusing Loxo;\n\n/// <summary>C</summary>\nclass C { SslMode F; }\n")]
    [TestCase("using System.Data;\n\nclass C { NpgsqlConnection? F; }\n", "using System.Data;\nusing Loxo;\n\nclass C { PgConnection? F; }\n")]
    [TestCase("using System.Data;\nusing A = System.Int32;\n\nclass C { NpgsqlConnection? F; }\n", "using System.Data;\nusing Loxo;\nusing A = System.Int32;\n\nclass C { PgConnection? F; }\n")]
    public async Task A_directive_of_the_project_file_is_replaced_in_each_file(string before, string after)
    {
        var files = await Migration.FixAll(Migration.Project(Migration.BothDrivers, ("Project.GlobalUsings.g.cs", "global using Npgsql;"), ("C.cs", before)));

        Assert.That(files[1].Text, Is.EqualTo(after));
    }

    [Test]
    public async Task A_namespace_that_only_extends_the_name_stays() => Assert.That(
        await Migration.Fix("using Npgsql.Shop;\n\nnamespace Npgsql.Shop { class C; }\n"),
        Is.EqualTo("using Npgsql.Shop;\n\nnamespace Npgsql.Shop { class C; }\n"));

    [Test]
    public async Task One_name_fixed_alone_brings_its_directive()
    {
        var project = Migration.Project(Migration.BothDrivers, ("C.cs", "using Npgsql;\n\nclass C { NpgsqlConnection? F; NpgsqlCommand? G; }\n"));
        var diagnostic = (await Migration.Diagnose(project)).Single(one => one.GetMessage().Contains("'NpgsqlCommand'", StringComparison.Ordinal));

        Assert.That(await Migration.FixOne(project, diagnostic),
            Is.EqualTo("using Loxo;\nusing Npgsql;\n\nclass C { NpgsqlConnection? F; PgCommand? G; }\n"));
    }

    [Test]
    public async Task One_name_fixed_alone_needs_no_directive_beside_a_global_one()
    {
        var project = Migration.Project(Migration.BothDrivers,
            ("Usings.cs", "global using Loxo;\nglobal using Npgsql;\n"), ("C.cs", "class C { NpgsqlConnection? F; }\n"));
        var diagnostic = (await Migration.Diagnose(project)).Single(one => one.GetMessage().Contains("'NpgsqlConnection'", StringComparison.Ordinal));

        Assert.That(await Migration.FixOne(project, diagnostic), Is.EqualTo("class C { PgConnection? F; }\n"));
    }

    [TestCase(FixAllScope.Document, 1)]
    [TestCase(FixAllScope.Project, 2)]
    [TestCase(FixAllScope.Solution, 3)]
    public async Task All_of_a_document_a_project_or_a_solution_is_fixed(FixAllScope scope, int changed)
    {
        var first = Migration.Project(Migration.BothDrivers,
            ("A.cs", "using Npgsql;\nclass A { NpgsqlConnection? F; }\n"), ("B.cs", "using Npgsql;\nclass B { NpgsqlConnection? F; }\n"));
        var solution = first.Solution.AddProject("Other", "Other", "C#").AddMetadataReferences(Migration.BothDrivers)
            .AddDocument("D.cs", "using Npgsql;\nclass D { NpgsqlConnection F; }\n", filePath: "/D.cs").Project.Solution;

        var after = await Migration.FixAll(solution.GetProject(first.Id)!, scope);

        var texts = new List<string>();
        foreach (var document in after.Projects.SelectMany(project => project.Documents).Where(document => document.Name.Length == 4))
            texts.Add((await document.GetTextAsync()).ToString());
        Assert.That(texts.Count(text => text.StartsWith("using Loxo;\nclass", StringComparison.Ordinal) && text.Contains(" PgConnection", StringComparison.Ordinal)),
            Is.EqualTo(changed));
        Assert.That(texts.Count(text => text.Contains("Npgsql", StringComparison.Ordinal)), Is.EqualTo(3 - changed));
    }
}
